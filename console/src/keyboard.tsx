import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Dialog } from './parts/dialog.tsx'
import { Facts } from './parts/facts.tsx'
import { keys } from './time.tsx'

const SEARCH = 'main [type="search"], main .filters > summary'

/** The keys of every page, unless they are turned off: / leads to its search or its filters, ? shows the keys. Whoever writes something has them as characters. */
export function Keyboard() {
  const isShown = useSignal(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target } = event
      const isWriting = (target as Element).matches('input, select, textarea') || document.querySelector('dialog') !== null
      if (keys.chosen.value === 'off' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
      if (key === '?') isShown.value = true
      if (key !== '/') return
      event.preventDefault()
      document.querySelector<HTMLElement>(SEARCH)?.focus()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  if (!isShown.value) return null
  return (
    <Dialog title="Keys" closed={() => (isShown.value = false)}>
      {(close) => (
        <>
          <Facts
            of={[
              ['/', 'to the search or the filters of the page'],
              ['Tab, Enter, Space', 'to the next thing; open or press it'],
              ['Escape', 'closes a dialog'],
              ['?', 'shows these keys; at the foot of the page / and ? can be turned off'],
            ]}
          />
          <button type="button" onClick={close}>
            Close
          </button>
        </>
      )}
    </Dialog>
  )
}
