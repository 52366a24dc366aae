import { COLOURS } from '../answer/page-style.ts'

/** The style of the reference: a list of groups at the left where there is room, one column on a phone. */
export const REFERENCE_STYLE = `${COLOURS}* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
a { color: var(--accent); text-underline-offset: .18em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 1rem 0; padding: .75rem 1rem; background: var(--ground); border-radius: .625rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
pre code { font-size: .8125rem; }
p, ul { margin: 0 0 .75rem; max-width: 46rem; }
.soft, .limits { color: var(--soft); font-size: .875rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto; }
.groups { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.75rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: .9375rem; }
.groups ul { padding: 0; list-style: none; }
.groups a { display: block; padding: .25rem .625rem; border-radius: .375rem; color: var(--ink); text-decoration: none; }
.groups a:hover { background: var(--ground); }
.groups a[aria-current] { background: var(--ground); color: var(--accent); font-weight: 600; }
.groups .title { font-weight: 700; font-size: 1.125rem; }
main { padding: 1.75rem 2.5rem 5rem; min-width: 0; }
.top { display: none; }
h1 { margin: 0 0 .75rem; font-size: 1.875rem; line-height: 1.25; letter-spacing: -.015em; }
h2 { margin: 0 0 .5rem; overflow-wrap: anywhere; font-size: 1.25rem; line-height: 1.35; text-wrap: balance; }
h2 code { font-weight: 700; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover { text-decoration: underline; }
h3 { margin: 1.5rem 0 .375rem; font-size: 1rem; }
section { margin-top: 2.5rem; }
section section { margin-top: 1.75rem; }
.operation { padding-top: 2rem; border-top: 1px solid var(--line); }
.operation:target { border-top: 3px solid var(--accent); }
.route { font-weight: 600; }
.method { display: inline-block; min-width: 3.75rem; color: var(--accent); font: 700 .8125rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.method.get { color: var(--right); }
.method.delete { color: var(--wrong); }
.required { color: var(--wrong); font-size: .8125rem; font-weight: 600; }
.type { color: var(--soft); font-size: .875rem; }
.contents { padding: 0; list-style: none; max-width: none; }
.contents li { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 4fr); gap: 0 1rem; padding: .375rem 0; border-bottom: 1px solid var(--line); }
.contents li > span { display: grid; grid-template-columns: 4.25rem minmax(0, 1fr); align-items: baseline; }
.contents li > span > :only-child { grid-column: 1 / -1; }
.contents li:last-child { border: 0; }
dl { margin: 0 0 .75rem; }
dl > div { padding: .5rem 0; border-top: 1px solid var(--line); }
dt code { font-weight: 600; }
dd { margin: 0; }
dd p { margin: .125rem 0; }
dd dl { margin: .5rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line); }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .9375rem; }
@media (max-width: 56rem) {
  .frame { display: block; }
  .groups { display: none; }
  .top { display: flex; justify-content: space-between; gap: 1rem; padding: .875rem 1.25rem; border-bottom: 1px solid var(--line); }
  .top a { min-height: 1.5rem; }
  main { padding: 1.5rem 1.25rem 4rem; }
  .contents li, .contents a { display: block; }
}
`
