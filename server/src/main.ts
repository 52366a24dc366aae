// Starts Postern. What it compiles is kept beside its packages, where that can be written, so that the next start is quicker.
import { enableCompileCache } from 'node:module'

enableCompileCache(`${import.meta.dirname}/../../node_modules/.cache/postern`)
const { start } = await import('./start.ts')
await start()
