// Starts Postern. What it compiles is kept beside its packages, where that can be written, so that the next start is quicker. This file comes
// before that, and is JavaScript so that nothing has to be loaded which reads TypeScript. `--bundle=use` runs the bundle of the sources, if
// there is one of them as they are; `--bundle=make` also makes one for the next start.
import '../../require-node.js'
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

module.enableCompileCache(`${import.meta.dirname}/../../node_modules/.cache/postern`)
const wish = process.argv.find((argument) => argument.startsWith('--bundle='))
const kept = wish ? await import('./kept-bundle.js') : undefined
const bundle = kept?.findBundle()
// Stack traces lead to the sources.
if (bundle) module.setSourceMapsSupport(true, { nodeModules: true })
// One that is damaged, as when the power failed, is passed over.
const bundled = bundle && (await import(bundle).catch(() => undefined))?.start
if (!bundled) await import('../../resolve-sources.js')
const start = bundled ?? (await import('./start.ts')).start
await start()
// Collects garbage when the heap has grown by half, not fourfold: under load most of it is garbage. Once it is ready, because what V8 keeps
// compiled, Node's own modules too, is compiled anew under other flags.
setFlagsFromString('--heap-growing-percent=50')
if (wish === '--bundle=make') kept?.keepBundle(bundled && bundle)
