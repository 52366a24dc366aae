// Preloaded by every worker, before node:test. That follows each promise to the test that made it, by an async hook, which is a quarter of the
// work of tests that call a server. It needs the hook only to find the suite in which a file declares a test.
import asyncHooks, { type AsyncHook, AsyncResource } from 'node:async_hooks'

const { createHook } = asyncHooks
let hook: AsyncHook | undefined

// node:test makes its hook with the first suite, before any other is made.
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  hook = createHook(callbacks)
  return hook
}

/** Older than the hook: it belongs to no test. */
const outside = new AsyncResource('outside of tests')

/** Calls what declares the suite of a file. It belongs to no other, whatever it was that called back; from here on promises are followed. */
export function declareSuite<Value>(declare: () => Value): Value {
  hook?.enable()
  return outside.runInAsyncScope(declare)
}

/** Follows no promises any more, once all tests are declared. Then an uncaught error belongs to no test. */
export const endDeclaring = () => void hook?.disable()
