/** The colours of every page, light and dark. Text stands out from its ground by 4.5 to 1 at least, edges and marks by 3 to 1. */
export const COLOURS = `
:root { --ink: #18202b; --soft: #566171; --paper: #ffffff; --ground: #f1f3f6; --line: #dde2e8; --edge: #7c8796; --accent: #1857c4; --on-accent: #ffffff; --wrong: #b3261e; --right: #1c7a46; --mark: #ffe08a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9edf3; --soft: #a5b0bf; --paper: #1a212b; --ground: #10151c; --line: #303a48; --edge: #738095; --accent: #86b3ff; --on-accent: #0b1a30; --wrong: #ff9d94; --right: #6bcf97; --mark: #6b4e00; }
}
`

/** The style of pages for people who sign in or look something up. */
export const STYLE = `${COLOURS}* { box-sizing: border-box; }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
main { width: 100%; max-width: 29rem; padding: 2.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; overflow-wrap: anywhere; }
main:has(table) { max-width: 70rem; }
main > :last-child { margin-bottom: 0; }
h1 { margin: 0 0 1.5rem; font-size: 1.5rem; line-height: 1.3; letter-spacing: -.012em; text-wrap: balance; }
h1:has(bdi) { font-weight: 400; }
h1 bdi { font-weight: 700; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; line-height: 1.4; font-weight: 600; }
h3 { margin: 1rem 0 .375rem; font-size: .9375rem; font-weight: 600; }
p, ul { margin: 0 0 1rem; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: .18em; }
.soft { color: var(--soft); font-size: .875rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

.who { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem 1rem; padding: .75rem 1rem; background: var(--ground); border-radius: .625rem; color: var(--soft); font-size: .875rem; line-height: 1.45; }
.who bdi { display: block; color: var(--ink); font-size: 1rem; font-weight: 600; }
.may, .not { padding: 0; list-style: none; }
.may li, .not li { position: relative; padding: .15rem 0 .15rem 1.75rem; }
.may li::before, .not li::before { content: ""; position: absolute; }
.may li::before { left: .3rem; top: .42rem; width: .4rem; height: .75rem; border: solid var(--right); border-width: 0 2px 2px 0; transform: rotate(42deg); }
.not { color: var(--soft); }
.not li::before { left: .15rem; top: .88rem; width: .75rem; border-top: 2px solid var(--edge); }

form { margin: 1.75rem 0 1.25rem; padding-top: 1.75rem; border-top: 1px solid var(--line); }
label { display: block; margin: 0 0 1rem; font-size: .9375rem; font-weight: 600; }
input { display: block; width: 100%; min-height: 2.875rem; margin-top: .375rem; padding: .5rem .875rem; font: inherit; font-size: 1rem; font-weight: 400; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .625rem; }
input[aria-invalid] { border: 2px solid var(--wrong); }
.wrong { margin-top: -.375rem; padding-left: .75rem; border-left: 3px solid var(--wrong); color: var(--wrong); font-size: .9375rem; font-weight: 600; line-height: 1.4; }
.choice { display: flex; flex-wrap: wrap; gap: .75rem; }
label + .choice, .wrong + .choice { margin-top: 1.5rem; }
button { flex: 1 1 0; min-height: 2.875rem; padding: .5rem 1.125rem; font: inherit; font-weight: 600; white-space: nowrap; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .625rem; cursor: pointer; }
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
button:hover { border-color: var(--ink); }
.pin { margin: 0 0 1.5rem; padding: 1.25rem .5rem; background: var(--ground); border-radius: .625rem; font: 600 clamp(1.75rem, 10vw, 2.5rem)/1.2 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .1em; text-indent: .1em; text-align: center; user-select: all; }

table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .375rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
pre { margin: 0 0 1rem; padding: .75rem; background: var(--ground); border-radius: .625rem; font: .8125rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
code { font: .92em ui-monospace, monospace; }
mark { color: inherit; background: var(--mark); border-radius: 3px; padding: .1em 0; }
summary { margin: 0 0 .75rem; cursor: pointer; color: var(--soft); font-size: .9rem; }
table + p { margin-top: 1rem; }
thead th { color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; }
td .soft { display: block; }
th:not(:has(code)), td[data-label="Time"], td[data-label="Status"] { white-space: nowrap; }
tbody th:has(code) { min-width: 14rem; }

@media (max-width: 44rem) {
  thead { display: none; }
  table, tbody, tr, th, td { display: block; }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  th, td { padding: .1rem 0; border: 0; }
  td[data-label] { position: relative; padding-left: 8rem; }
  td[data-label]::before { content: attr(data-label); position: absolute; left: 0; color: var(--soft); }
}

@media (max-width: 30rem) {
  body { display: block; padding: 0; background: var(--paper); }
  main { padding: 2rem 1.25rem; border: 0; border-radius: 0; }
}
`
