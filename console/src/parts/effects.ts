import { type Signal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Calls something every so often while the page is visible, and when it becomes visible again, until what it returns is called. */
export function regularly(run: () => void, everyMs: number): () => void {
  const ifVisible = () => document.visibilityState === 'visible' && run()
  const timer = setInterval(ifVisible, everyMs)
  document.addEventListener('visibilitychange', ifVisible)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', ifVisible)
  }
}

export function useRegularly(run: () => void, everyMs: number) {
  const current = useRef(run)
  current.current = run
  useEffect(() => regularly(() => current.current(), everyMs), [])
}

/** Calls something each time a signal changes, not at the beginning. */
export function useChange<Value>(watched: Signal<Value>, changed: (value: Value, former: Value) => void) {
  const former = useRef(watched.peek())
  useSignalEffect(() => {
    const value = watched.value
    const before = former.current
    former.current = value
    if (value !== before) changed(value, before)
  })
}
