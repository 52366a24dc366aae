import type { Auth } from '../api/declare/auth.ts'
import { because, Problem } from '../api/declare/problem.ts'
import { type AppCaller, appBearer } from './app-bearer.ts'
import { appOrUser } from './app-or-user.ts'
import { attachCaller } from './attach-caller.ts'
import type { ClientOriginOf } from './client-origin.ts'

function assertEnrolled({ app }: AppCaller, origin: string) {
  if (!app.activityEnrolled)
    throw because(
      new Problem('client-forbidden', {
        detail: 'This app is not enrolled in the activity API. The operator of this server can enrol it.',
        reason: 'client-not-enrolled',
        registration_url: `${origin}/docs`,
      }),
      'The app is not enrolled in the activity API.',
      () => [`PATCH /operator/apps/${app.id} with {"activity_enrolled": true} enrols ${app.name}.`],
    )
}

/** The same for apps that are enrolled in the activity API; any other is refused with `client-forbidden` (§7). */
const enrolled = <Services extends { originOf: ClientOriginOf }>(auth: Auth<AppCaller, Services>): Auth<AppCaller, Services> => ({
  ...auth,
  problems: ['client-forbidden'],
  async authenticate(request, services, endpoint) {
    const caller = await auth.authenticate(request, services, endpoint)
    await attachCaller(caller, () => assertEnrolled(caller, services.originOf(request).origins[0]!))
    return caller
  },
})

/** An app of the activity API, with its bearer token. */
export const activityApp = enrolled(appBearer)

/** An app of the activity API, with its bearer token or the access token of a user. */
export const activityAppOrUser = enrolled(appOrUser)
