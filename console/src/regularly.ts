import { useEffect, useRef } from 'preact/hooks'

/** Calls something every so often while the page is visible, and when it becomes visible again. */
export function useRegularly(run: () => void, everyMs: number) {
  const current = useRef(run)
  current.current = run
  useEffect(() => {
    const ifVisible = () => document.visibilityState === 'visible' && current.current()
    const timer = setInterval(ifVisible, everyMs)
    document.addEventListener('visibilitychange', ifVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ifVisible)
    }
  }, [])
}
