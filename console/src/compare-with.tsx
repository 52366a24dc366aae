import { useSignal } from '@preact/signals'
import { go, hrefOf } from './router.tsx'

/** Asks which event to compare with. */
export function CompareWith({ uuid }: { uuid: string }) {
  const other = useSignal('')
  const compare = (event: Event) => {
    event.preventDefault()
    go(hrefOf('compare', uuid, other.value.trim()))
  }
  return (
    <form class="tools" onSubmit={compare}>
      <label>
        Compare with event{' '}
        <input
          type="text"
          inputMode="numeric"
          pattern="\s*-?[0-9]{1,19}\s*"
          title="The id of an event: a whole number"
          required
          value={other.value}
          onInput={({ currentTarget: { value } }) => (other.value = value)}
        />
      </label>
      <button type="submit">Compare</button>
    </form>
  )
}
