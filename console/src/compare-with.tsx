import { Field } from './parts/form.tsx'
import { go, hrefOf } from './router.tsx'

/** Asks which event to compare with. */
export function CompareWith({ uuid }: { uuid: string }) {
  const compare = (event: SubmitEvent) => {
    event.preventDefault()
    const other = new FormData(event.currentTarget as HTMLFormElement).get('other')
    go(hrefOf('compare', uuid, String(other).trim()))
  }
  return (
    <form class="tools" onSubmit={compare}>
      <Field
        label="Compare with event"
        name="other"
        inputMode="numeric"
        pattern="\s*-?[0-9]{1,19}\s*"
        title="The id of an event: a whole number"
        required
      />
      <button type="submit">Compare</button>
    </form>
  )
}
