import { signIn } from './api.ts'
import { ActForm, Field } from './parts/form.tsx'
import { Page } from './parts/page.tsx'

/** The token is sent, forgotten, and never in the address or in what the browser keeps. */
async function signInWith(data: FormData) {
  await signIn(String(data.get('token')).trim())
  return ''
}

export const SignInScreen = () => (
  <Page title="Sign in">
    <ActForm label="Sign in" submit="Sign in" run={signInWith} disabled={false}>
      <Field
        label="Operator token"
        name="token"
        type="password"
        required
        hint={
          <>
            That of <code>POSTERN_OPERATOR_TOKEN</code>, or one of <code>POSTERN_OPERATOR_TOKENS</code>. One with the role read shows
            everything and changes nothing.
          </>
        }
      />
    </ActForm>
  </Page>
)
