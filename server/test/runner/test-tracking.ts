// Preloaded by every worker, before node:test. That follows each promise to the test that made it, by an async hook, and forgets it when it is
// collected, which is a fifth of the work of tests that call a server. It needs that only to find the suite in which a file declares a test:
// while tests run there is no hook.
import asyncHooks, { type AsyncHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks
let hook: AsyncHook | undefined

// node:test makes its hook with the first suite, before any other is made. It need not hear when something is collected.
asyncHooks.createHook = ({ init }) => {
  asyncHooks.createHook = createHook
  syncBuiltinESMExports()
  hook = createHook({ init })
  return hook
}

/** Has node:test follow promises or not: it must while a file declares its tests. Without it an uncaught error belongs to no test. */
export function followPromises(isOn: boolean): void {
  if (isOn) hook?.enable()
  else hook?.disable()
}
