// Loaded before a server by `node --import`: lists the modules that it has loaded, one a line, in the file that POSTERN_TEST_MODULES names.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.POSTERN_TEST_MODULES ?? '', `${url}\n`)
    return next(url, context)
  },
})
