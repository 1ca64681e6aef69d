//! The browser engines that the page is tested in: those of this machine, else Debian's.
//!
//! Each is a browser and the programs that drive it. The invariant: an engine counts as there only
//! when all of it is, so that the tests either run in it or are skipped for a reason that says what
//! is missing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::find;
use crate::toolchain::apt_install;

/// An engine, and where it comes from.
pub struct Engine {
    pub name: &'static str,
    /// Names the browser's file: set by a person, or for the tests once it is found.
    pub variable: &'static str,
    /// Debian's packages.
    packages: &'static [&'static str],
    /// What must stand on the PATH beside the browser.
    drivers: &'static [&'static str],
    browser: fn() -> Option<PathBuf>,
}

/// Three current engines, and an old WebKit, which is the oldest that the package runs in.
pub const ALL: [Engine; 4] = [
    Engine {
        name: "Chromium",
        variable: "PLOTBRIDGE_CHROMIUM",
        packages: &["chromium"],
        drivers: &[],
        browser: || {
            let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
            names.iter().find_map(|name| find(name)).or_else(|| application("Google Chrome"))
        },
    },
    Engine {
        name: "Firefox",
        variable: "PLOTBRIDGE_FIREFOX",
        packages: &["firefox-esr"],
        drivers: &[],
        browser: || find("firefox-esr").or_else(|| find("firefox")).or_else(|| application("firefox")),
    },
    Engine {
        name: "WebKitGTK",
        variable: "PLOTBRIDGE_WEBKIT",
        packages: &["webkit2gtk-driver", "xvfb"],
        drivers: &["WebKitWebDriver", "Xvfb"],
        browser: || in_libraries("webkit2gtk-4.1/MiniBrowser"),
    },
    Engine {
        name: "WPE WebKit",
        variable: "PLOTBRIDGE_WPE",
        packages: &["wpewebkit-driver", "libwpewebkit-1.1-0"],
        drivers: &["WPEWebDriver"],
        browser: || in_libraries("wpe-webkit-1.1/MiniBrowser"),
    },
];

impl Engine {
    /// The browser's file, installing what is missing where that can be done without a password.
    pub fn find(&self) -> Result<PathBuf, String> {
        if let Some(named) = std::env::var_os(self.variable).map(PathBuf::from) {
            let missing = format!("{} is {}, which is no file", self.variable, named.display());
            return named.is_file().then_some(named).ok_or(missing);
        }
        self.here().or_else(|missing| {
            let advice = format!("install it, or name it in {}", self.variable);
            apt_install(self.packages).map_err(|reason| format!("{missing} and {reason}; {advice}"))?;
            self.here()
        })
    }

    fn here(&self) -> Result<PathBuf, String> {
        if let Some(driver) = self.drivers.iter().find(|driver| find(driver).is_none()) {
            return Err(format!("{driver} is not on the PATH"));
        }
        (self.browser)().ok_or_else(|| format!("no {} was found", self.name))
    }
}

/// The program of a macOS application: `firefox` is in `Firefox.app`.
fn application(program: &str) -> Option<PathBuf> {
    let file = Path::new("/Applications").join(format!("{program}.app/Contents/MacOS/{program}"));
    file.is_file().then_some(file)
}

/// A file of a package's own folder, which distributions put in different places.
fn in_libraries(name: &str) -> Option<PathBuf> {
    let multiarch = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = ["/usr/lib", "/usr/libexec", "/usr/lib64"].map(PathBuf::from);
    folders.into_iter().chain(multiarch).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_without_its_driver_is_not_there() {
        let engine = |drivers, browser| Engine {
            name: "Test",
            variable: "PLOTBRIDGE_TEST",
            packages: &[],
            drivers,
            browser,
        };
        let there: fn() -> Option<PathBuf> = || Some("browser".into());
        assert_eq!(engine(&[], there).here(), Ok("browser".into()));
        let missing = engine(&["no-such-driver"], there).here();
        assert_eq!(missing, Err("no-such-driver is not on the PATH".to_owned()));
        assert_eq!(engine(&[], || None).here(), Err("no Test was found".to_owned()));
    }
}
