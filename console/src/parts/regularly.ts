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
