// Starts Postern. What it compiles is kept beside its packages, where that can be written, so that the next start is quicker. This file comes
// before that, and is JavaScript so that nothing has to be loaded which reads TypeScript.
import '../../require-node.js'
import '../../resolve-sources.js'
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

module.enableCompileCache(`${import.meta.dirname}/../../node_modules/.cache/postern`)
const { start } = await import('./start.ts')
await start()
// Collects garbage when the heap has grown by half, not fourfold: under load most of it is garbage. Once it is ready, because what V8 keeps
// compiled, Node's own modules too, is compiled anew under other flags.
setFlagsFromString('--heap-growing-percent=50')
