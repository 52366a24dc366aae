/** The style of every page, light and dark. */
export const STYLE = `
:root { --ink: #1c2430; --soft: #5b6675; --paper: #ffffff; --ground: #eef1f5; --line: #c9d0d9; --accent: #1d5fd1; --on-accent: #ffffff; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ecf2; --soft: #a3aebd; --paper: #1b222c; --ground: #11161d; --line: #3c4756; --accent: #7fb0ff; --on-accent: #0c1a30; --wrong: #ff9d94; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 14px; overflow-wrap: anywhere; }
main:has(table) { max-width: 70rem; }
h1 { margin: 0 0 1rem; font-size: 1.45rem; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.05rem; }
p, ul { margin: 0 0 1rem; }
ul { padding-left: 1.2rem; }
.soft { color: var(--soft); font-size: .9rem; }
.wrong { color: var(--wrong); font-weight: 600; }
label { display: block; margin: 0 0 .9rem; font-size: .9rem; color: var(--soft); }
input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 8px; }
.choice { display: flex; gap: .75rem; margin: 1.25rem 0; }
button { flex: 1; padding: .7rem 1rem; font: inherit; font-weight: 600; color: var(--ink); background: transparent; border: 1px solid var(--line); border-radius: 8px; cursor: pointer; }
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.pin { margin: 1rem 0; font: 600 2.4rem/1.2 ui-monospace, monospace; letter-spacing: .12em; text-align: center; }
table { width: 100%; border-collapse: collapse; font-size: .85rem; }
th, td { padding: .35rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
pre { margin: 0 0 1rem; padding: .75rem; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; font: .82rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
code { font: .92em ui-monospace, monospace; }
`
