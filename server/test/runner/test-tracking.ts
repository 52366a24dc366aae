// Preloaded by every worker, before node:test. That follows each promise to the test that made it, by an async hook, and forgets it when it is
// collected, which is a fifth of the work of tests that call a server. It needs that only to find the suite in which a file declares a test.
import asyncHooks, { type HookCallbacks } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks
let isDeclaring = false

/** What node:test is told: its own tests, and what belongs to a suite while that is declared. It need not hear when something is collected. */
const toldLittle = ({ init }: HookCallbacks): HookCallbacks => ({
  init(asyncId, type, triggerAsyncId, resource) {
    if (isDeclaring || type === 'Test') init?.(asyncId, type, triggerAsyncId, resource)
  },
})

// node:test makes its hook with the first suite, before any other is made.
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  syncBuiltinESMExports()
  return createHook(toldLittle(callbacks))
}

/** Has node:test follow promises or not: it must while a file declares its tests. Without it an uncaught error belongs to no test. */
export function followPromises(isOn: boolean): void {
  isDeclaring = isOn
}
