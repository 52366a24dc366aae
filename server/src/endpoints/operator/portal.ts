import type { ClientOriginOf } from '../../access/client-origin.ts'
import { operator } from '../../access/operator.ts'
import { assertFromConsole, type OperatorSessions } from '../../access/operator-sessions.ts'
import type { Portals } from '../../access/portals.ts'
import { noAuth } from '../../api/declare/auth.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { boolean, id, iso, object, text, timestamp } from '../../api/declare/words.ts'
import type { App, AppStore } from '../../storage/apps.ts'
import type { AuditLog } from '../../storage/audit-log.ts'
import { noSuchApp } from './apps/apps.ts'

/** The session of an app's portal, as the console is told of it. */
export const portalSchema = object({ app_id: id(), app_name: text(), expires_at: timestamp() })

export const portalView = (app: App, untilMs: number) => ({ app_id: app.id, app_name: app.name, expires_at: iso(untilMs) })

interface Services {
  apps: AppStore
  portals: Portals
  originOf: ClientOriginOf
}

/** The console where the caller has reached this server. A prefix of a proxy is known to the caller alone. */
function consoleAt(request: RawRequest, originOf: ClientOriginOf): URL {
  const { scheme, origins } = originOf(request)
  return URL.parse(`${scheme}://${headerOf(request, 'host')}/console/portal`) ?? new URL('/console/portal', origins[0])
}

export const createPortalLink = endpoint({
  name: 'createPortalLink',
  route: 'POST /operator/apps/:app_id/portal',
  section: '§5',
  summary: "Make a link that opens the portal of an app: the console for the app's own people.",
  description: [
    'The link works once, within ten minutes. It begins a session of eight hours in the browser that opens it, which sees the webhooks of the app, their deliveries, and the events that the app may have; it may resend, replay and rotate the consumer secret. Everything else is 404 to it.',
    'The secret of the link is behind the `#`, which browsers send to no server. Below a path that a proxy adds, take the fragment and put it behind the address of your console: `https://…/console/portal#…`.',
    'A session ends when the app is suspended or deleted, and with `DELETE` at this path. The audit log names its calls `portal:<app id>`.',
  ].join('\n\n'),
  auth: operator,
  params: { app_id: id({ example: '1' }) },
  answer: object({
    data: object({
      url: text({ description: 'Give it to one person, as you would a password. It is shown only in this response.' }),
      expires_at: timestamp({ description: 'Until when the link can be opened.' }),
    }),
  }),
  problems: ['not-found', 'conflict'],
  async handle({ params: { app_id }, request }, { apps, portals, originOf }: Services) {
    const app = await apps.byId(app_id)
    if (!app) throw noSuchApp(app_id)
    if (app.suspended) throw new Problem('conflict', { detail: `The app ${app_id} is suspended, and has no portal. Resume the app first.` })
    const { token, untilMs } = portals.makeLink(app)
    const url = consoleAt(request, originOf)
    url.hash = token
    return { data: { url: url.href, expires_at: iso(untilMs) } }
  },
})

export const endPortal = endpoint({
  name: 'endPortal',
  route: 'DELETE /operator/apps/:app_id/portal',
  section: '§5',
  summary: 'End all sessions and links of the portal of an app.',
  description: 'From the next call on, in every process. Links that are made later work.',
  auth: operator,
  params: { app_id: id({ example: '1' }) },
  answer: object({ data: object({ ended: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { app_id } }, { apps }: { apps: AppStore }) {
    if (!(await apps.update(app_id, { endsPortals: true }))) throw noSuchApp(app_id)
    return { data: { ended: true } }
  },
})

interface SessionServices extends Services {
  operatorSessions: OperatorSessions
  audit: AuditLog
  now: () => number
}

const linkRefused = () =>
  new Problem('forbidden', {
    detail: 'This link was used already, has expired, or was ended. A link works once, within ten minutes: ask the operator for a new one.',
  })

export const createPortalSession = endpoint({
  name: 'createPortalSession',
  route: 'POST /operator/portal-session',
  section: '§5',
  summary: 'Open the portal of an app with a link.',
  description:
    'The console sends what is behind the `#` of the link, once. The answer sets the cookie of the session, like `POST /operator/session`; one that the browser had is replaced. The call must come from a page of this server.',
  auth: noAuth,
  params: { token: text({ max: 1000, example: 'the-secret-of-the-link', description: 'What is behind the `#` of the link.' }) },
  answer: object({ data: object({ portal: portalSchema }) }),
  problems: ['forbidden'],
  // Its link is not lost, as it would be for a client that repeats the call. At worst the audit log has it twice.
  isRepeatable: true,
  async handle({ params: { token }, request, headers }, services: SessionServices) {
    const { portals, operatorSessions, originOf, audit, now } = services
    const client = originOf(request)
    assertFromConsole(request, client)
    const app = await portals.useLink(token, request.id)
    if (!app) throw linkRefused()
    const claim = portals.claimOf(app)
    await audit.append({
      atMs: now(),
      action: 'createPortalSession',
      status: 200,
      detail: '/operator/portal-session',
      tokenName: `portal:${app.id}`,
      address: client.address,
      appId: app.id,
      userId: null,
      changes: [],
    })
    // Last: an error is answered with the headers too, and no session begins without its row in the audit log.
    headers['set-cookie'] = operatorSessions.beginPortal(request, claim, client)
    return { data: { portal: portalView(app, claim.untilMs) } }
  },
})
