import { type Signal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'

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
