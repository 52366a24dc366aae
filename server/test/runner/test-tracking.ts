// Preloaded by every worker, before node:test. That follows each promise to the test that made it, by an async hook, which is a quarter of the
// work of tests that call a server. It needs the hook only to find the suite in which a file declares a test.
import asyncHooks, { type AsyncHook } from 'node:async_hooks'

const { createHook } = asyncHooks
let hook: AsyncHook | undefined

// node:test makes its hook with the first suite, before any other is made.
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  hook = createHook(callbacks)
  return hook
}

/** Has node:test follow promises or not. Without it an uncaught error belongs to no test. */
export const trackTests = (isOn: boolean) => void (isOn ? hook?.enable() : hook?.disable())
