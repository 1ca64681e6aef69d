//! From where a server is asked: a page of some origin in some browser, or none; and what browsers forbid.
//!
//! The rules are those of browsers, not ours: what they block gives no reason afterwards, so it is worked
//! out beforehand, and where only the user can allow it, by what the browser says of the leave.

use crate::report::Check;

/// A kind of browser, where its rules differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Browser {
    /// Chrome, Edge and their kin.
    Chromium,
    /// Firefox.
    Firefox,
    /// Safari, and every browser on iOS.
    Safari,
    /// Any other, or none.
    #[default]
    Other,
}

/// A system, where its settings differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// macOS.
    Mac,
    /// Windows.
    Windows,
    /// Linux.
    Linux,
    /// Any other.
    #[default]
    Other,
}

/// Whether a page may reach the user's own network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leave {
    /// The browser does not say, or does not ask.
    #[default]
    Unknown,
    /// The user said yes.
    Granted,
    /// The user said no.
    Denied,
    /// The user has not been asked, or has not answered.
    Prompt,
}

/// The surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The page's origin; none outside of a browser.
    pub page: Option<String>,
    /// The browser.
    pub browser: Browser,
    /// The system.
    pub system: System,
    /// What the browser says before anything is asked.
    pub leave: Leave,
}

/// How near a host is, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Near {
    /// This machine.
    Loopback,
    /// The own network.
    Private,
    /// Anywhere.
    Public,
}

impl Near {
    /// How near the host of an origin is, by its name. A page of a browser's extension is a part of the browser,
    /// so of this machine: no rule of mixed content or of the local network stands before it.
    pub fn of(origin: &str) -> Self {
        if extension(origin).is_some() {
            return Self::Loopback;
        }
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        let host = match host.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or(v6),
            None => host.split(':').next().unwrap_or(host),
        };
        let begins = |heads: &[&str]| heads.iter().any(|head| host.starts_with(head));
        let numbers: Vec<u8> = host.split('.').map(str::parse).collect::<Result<_, _>>().unwrap_or_default();
        match numbers[..] {
            [127, _, _, _] => return Self::Loopback,
            [10, _, _, _] | [192, 168, _, _] | [169, 254, _, _] | [172, 16..=31, _, _] => {
                return Self::Private;
            }
            [_, _, _, _] => return Self::Public,
            _ => {}
        }
        let v6 = host.contains(':');
        if host == "localhost" || host.ends_with(".localhost") || host == "::1" {
            Self::Loopback
        } else if host.ends_with(".local") || v6 && begins(&["fc", "fd", "fe8"]) || !v6 && !host.contains('.')
        {
            Self::Private
        } else {
            Self::Public
        }
    }
}

/// The scheme of the origin of a page of a browser's extension, such as `chrome-extension`.
pub fn extension(origin: &str) -> Option<&str> {
    origin.split_once("://").map(|(scheme, _)| scheme).filter(|scheme| scheme.ends_with("-extension"))
}

/// How to open the page where no rule stands between it and this machine's servers.
const AT_HOME: &str = "Open the page from this computer instead, where it may ask such a server";

/// The command that does.
const SERVE: &str = "npx plotbridge serve";

impl Place {
    /// What the browser will say to a request to an origin, before it is sent; `None` where there is no page.
    pub fn before(&self, origin: &str) -> Option<Check> {
        let page = self.page.as_deref()?;
        let near = Near::of(origin);
        let mixed = page.starts_with("https:") && origin.starts_with("http:");
        if mixed && near == Near::Loopback && self.browser == Browser::Safari {
            let message = format!(
                "Safari lets no page that came by https ask a server by http, not even one on this computer \
                 such as {origin} (mixed content)."
            );
            let fix = format!("{AT_HOME}, or use Chrome, Edge or Firefox.");
            return Some(Check::ill("browser", "mixed_content", message).fixed_by(fix).copying(SERVE));
        }
        // Chromium asks the user about the own network instead.
        let asked = near == Near::Private && self.browser == Browser::Chromium;
        if mixed && near != Near::Loopback && !asked {
            let message = format!(
                "This page came by https, and browsers let no such page ask a server by http ({origin}; \
                 mixed content)."
            );
            let fix = format!("Give the server an https address, by a reverse proxy or a tunnel. {AT_HOME}.");
            return Some(Check::ill("browser", "mixed_content", message).fixed_by(fix).copying(SERVE));
        }
        if self.crosses(origin) && self.leave == Leave::Denied {
            return Some(self.forbidden(origin));
        }
        Some(Check::well(
            "browser",
            format!("The browser has no rule against asking {origin} from this page."),
        ))
    }

    /// Whether a request leads from a page further away into the user's own network.
    pub fn crosses(&self, origin: &str) -> bool {
        self.page.as_deref().is_some_and(|page| Near::of(origin) < Near::of(page))
    }

    /// The browser keeps the page out of the user's own network.
    pub fn forbidden(&self, origin: &str) -> Check {
        let page = self.page.as_deref().unwrap_or_default();
        let message = format!(
            "The browser does not let {page} reach {origin}, which is in your own network: it asks you for \
             leave first (\"Local network access\"), and has none."
        );
        let fix = format!(
            "Choose the sign at the left of the address bar, then Site settings, set \"Local network access\" \
             (\"Apps on device\" in later versions) to Allow, and load the page again. {AT_HOME}."
        );
        Check::ill("browser", "local_network", message).fixed_by(fix).copying(SERVE)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hosts_are_near_or_far_by_their_names() {
        for (near, origins) in [
            (
                Near::Loopback,
                &[
                    "http://localhost:1",
                    "http://127.1.2.3",
                    "http://[::1]:8",
                    "http://a.localhost",
                    "chrome-extension://abcdefghijklmnop",
                    "moz-extension://0a1b-2c3d",
                    "safari-web-extension://0A1B",
                ][..],
            ),
            (
                Near::Private,
                &[
                    "http://10.0.0.1",
                    "http://192.168.1.2:80",
                    "http://172.31.0.1",
                    "http://nas:1",
                    "http://box.local",
                    "http://[fd00::1]",
                    "http://169.254.1.1",
                ],
            ),
            (
                Near::Public,
                &[
                    "https://api.example.org",
                    "http://172.32.0.1",
                    "http://8.8.8.8",
                    "http://[2001:db8::1]",
                    "http://10.example.org",
                ],
            ),
        ] {
            for origin in origins {
                assert_eq!(Near::of(origin), near, "{origin}");
            }
        }
    }

    #[test]
    fn what_a_browser_will_block_is_known_before() {
        use Browser::*;
        let far = "https://books.example.org";
        let rows = [
            (far, "http://localhost:11434", Safari, Leave::Unknown, Some("mixed_content")),
            (far, "http://localhost:11434", Chromium, Leave::Prompt, None),
            (far, "http://localhost:11434", Chromium, Leave::Denied, Some("local_network")),
            (far, "http://127.0.0.1:8080", Firefox, Leave::Unknown, None),
            (far, "http://192.168.1.5:8080", Firefox, Leave::Unknown, Some("mixed_content")),
            (far, "http://192.168.1.5:8080", Chromium, Leave::Granted, None),
            (far, "http://192.168.1.5:8080", Chromium, Leave::Denied, Some("local_network")),
            (far, "http://llm.example.org", Chromium, Leave::Unknown, Some("mixed_content")),
            (far, "https://api.example.org", Safari, Leave::Unknown, None),
            ("http://localhost:8017", "http://llm.example.org", Safari, Leave::Unknown, None),
            ("http://127.0.0.1:8017", "http://localhost:11434", Safari, Leave::Denied, None),
            ("chrome-extension://abc", "http://localhost:11434", Chromium, Leave::Denied, None),
            ("chrome-extension://abc", "http://192.168.1.5:8080", Chromium, Leave::Prompt, None),
            ("moz-extension://0a-1b", "http://llm.example.org", Firefox, Leave::Unknown, None),
            (
                "http://books.example.org",
                "http://localhost:11434",
                Chromium,
                Leave::Denied,
                Some("local_network"),
            ),
        ];
        for (page, origin, browser, leave, code) in rows {
            let place = Place { page: Some(page.to_owned()), browser, leave, ..Place::default() };
            assert_eq!(place.before(origin).unwrap().code, code, "{page} {origin} {browser:?} {leave:?}");
        }
        assert_eq!(Place::default().before("http://localhost"), None);
    }
}
