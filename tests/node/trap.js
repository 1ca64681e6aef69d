// How tests make the real engine trap, which nothing in the package can: a script that runs before
// the package wraps what the engine imports. After `crash()` whatever the engine next asks of
// JavaScript is answered by an `unreachable` of WebAssembly, a trap like any of its own.

export const TRAP = `
  {
    const { Instance, Module, instantiate } = WebAssembly;
    // (module (func (export "f") unreachable))
    const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
    const { f: trap } = new Instance(new Module(new Uint8Array(bytes))).exports;
    const crashable = (imports) => {
      if (!imports?.["./plotbridge_bg.js"]) return imports; // another's module, such as that of Node's fetch
      let crashed = false;
      globalThis.crash = () => { crashed = true; };
      const wrap = (call) => (...args) => (crashed ? trap() : call(...args));
      const wrapAll = (from) => Object.fromEntries(Object.entries(from).map(([name, call]) => [name, typeof call === "function" ? wrap(call) : call]));
      return Object.fromEntries(Object.entries(imports).map(([name, from]) => [name, wrapAll(from)]));
    };
    WebAssembly.instantiate = (module, imports) => instantiate(module, crashable(imports));
    WebAssembly.Instance = class extends Instance {
      static [Symbol.hasInstance] = (made) => made instanceof Instance;
      constructor(module, imports) {
        super(module, crashable(imports));
      }
    };
  }
`;
