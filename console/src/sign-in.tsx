import { useSignal } from '@preact/signals'
import { signIn } from './api.ts'
import { Page } from './ui.tsx'

/** The token is asked for once: it is sent, forgotten, and never in the address or in what the browser keeps. */
export function SignInScreen() {
  const error = useSignal('')
  const isBusy = useSignal(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const token = String(new FormData(form).get('token')).trim()
    error.value = ''
    isBusy.value = true
    try {
      await signIn(token)
    } catch (refused) {
      error.value = (refused as Error).message
      form.querySelector('input')?.focus()
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Page title="Sign in">
      <form onSubmit={submit} class="sign-in">
        <label for="token">Operator token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          required
          aria-describedby={error.value ? 'hint wrong' : 'hint'}
          aria-invalid={error.value !== ''}
        />
        <p id="hint" class="soft">
          That of <code>POSTERN_OPERATOR_TOKEN</code>, or one of <code>POSTERN_OPERATOR_TOKENS</code>. One with the role read shows
          everything and changes nothing.
        </p>
        {error.value && (
          <p id="wrong" class="failure" role="alert">
            {error.value}
          </p>
        )}
        <button type="submit" disabled={isBusy.value}>
          Sign in
        </button>
      </form>
    </Page>
  )
}
