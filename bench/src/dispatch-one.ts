import type { Agent, Dispatcher } from 'undici'

/** Sends one request and resolves when it was answered, in the cheapest way there is. Rejects when the answer has another status. */
export const dispatchOne = (agent: Agent, status: number, request: Dispatcher.DispatchOptions) =>
  new Promise<void>((resolve, reject) => {
    agent.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, received) {
        if (received !== status) reject(new Error(`answered ${received} instead of ${status}`))
      },
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    })
  })
