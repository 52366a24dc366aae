import { Problem } from '../../api/declare/problem.ts'
import type { EventTypeName } from '../../delivery/events/event-types.ts'
import type { NamedUsers } from '../../endpoints/operator/users/named-user.ts'
import type { Ids } from '../../lib/ids.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { Content } from '../../storage/content.ts'
import { users as userTable } from '../../storage/content-tables.ts'
import type { User } from '../../storage/users.ts'
import type { Action } from './actions.ts'
import { alreadySo, type CallAnswer, callAsUser, nameOf, type Route, wrongParameter } from './call-as-user.ts'
import { type Cast, usualUsers } from './people-of-event.ts'

export interface PerformServices {
  users: NamedUsers
  apps: Pick<AppStore, 'list'>
  content: Content
  ids: Ids
  now: () => number
}

/** What was done, by whom and to whom. */
export interface Performed {
  route: Route
  answer: CallAnswer
  source: User
  target: User
}

/** An event type with its action, and those who were named for it. */
export interface Wanted {
  type: EventTypeName
  action: Action
  cast: Cast
  text: string | undefined
}

interface Pair {
  source: User
  target: User
}

/** So many users are thought of where none was named, and so many pairs tried. */
const MOST_USERS = 50
const MOST_TRIED = 20

const REFUSED = new Set([403, 404])

const nobody = (type: string) =>
  new Problem('conflict', {
    detail: `No users of the server are left who may cause a ${type} event: name them with from and to, or make some with POST /operator/seed.`,
  })

/** Those of the server who may act for all to see. */
async function candidates(cast: Cast, { users, content }: PerformServices): Promise<User[]> {
  const usual = (await usualUsers(cast, users, MOST_USERS)).filter(({ disabled }) => !disabled)
  const rows = await content.rows(
    userTable,
    ['id', 'protected'],
    usual.map(({ id }) => id),
  )
  const open = new Set(rows.flatMap(([id, isProtected]) => (isProtected ? [] : [id])))
  return usual.filter(({ id }) => open.has(id))
}

/** Those of these users with whom one can act: no block is between them, and what is to begin has not begun. */
async function partners(action: Action, user: User, isTarget: boolean, others: readonly User[], content: Content): Promise<User[]> {
  const relation = action.begins?.relation
  const isOfBlocks = action.route.includes('/blocking')
  const ids = others.map(({ id }) => id)
  const pairs = await content.relationsOf(user.id, ids, ['block', ...(relation ? [relation] : [])])
  const hinders = (pair: (typeof pairs)[number]) =>
    (pair.relation === 'block' && !isOfBlocks) || (pair.relation === relation && (isTarget ? pair.target : pair.source) === user.id)
  const hindered = new Set(pairs.filter(hinders).flatMap(({ source, target }) => [source, target]))
  return others.filter(({ id }) => id !== user.id && !hindered.has(id))
}

/** The pairs that may act, the usual ones first. */
async function pairsOf({ action, cast }: Wanted, services: PerformServices): Promise<Pair[]> {
  const { subject, other, aboutTarget } = cast
  const asPair = (one: User, another: User): Pair => (aboutTarget ? { source: another, target: one } : { source: one, target: another })
  if (subject?.found && other?.found) return [asPair(subject.found, other.found)]
  const usual = await candidates(cast, services)
  const subjects = subject?.found ? [subject.found] : usual
  if (!action.isToAnother) return subjects.map((user) => ({ source: user, target: user }))
  const { content } = services
  if (other?.found) return (await partners(action, other.found, !aboutTarget, usual, content)).map((user) => asPair(user, other.found!))
  const found: Pair[] = []
  for (const user of subjects) {
    if (found.length >= MOST_TRIED) break
    found.push(...(await partners(action, user, aboutTarget, usual, content)).map((another) => asPair(user, another)))
  }
  return found
}

/** Refuses what the pair has begun already. */
async function assertNotBegun({ action }: Wanted, { source, target }: Pair, content: Content) {
  if (!action.begins) return
  const { relation, past, end } = action.begins
  const pairs = await content.relationsOf(source.id, [target.id], [relation])
  if (!pairs.some((pair) => pair.source === source.id)) return
  throw alreadySo(`${nameOf(source)} ${past} ${nameOf(target)} already: trigger ${end} first, or name another user.`)
}

async function performWith(wanted: Wanted, pair: Pair, services: PerformServices): Promise<Performed> {
  const { action } = wanted
  const { content, ids, now, apps } = services
  await assertNotBegun(wanted, pair, content)
  const [app] = await apps.list(null, 1)
  if (!app) throw new Problem('conflict', { detail: 'The server has no app to call with: make one with POST /operator/apps.' })
  const unique = () => ids.nextBase36()
  const calling = { app, services, textAs: action.textAs }
  const text = wanted.text ?? action.usualText?.(unique()) ?? ''
  const sent = await action.sent({
    ...pair,
    text,
    content,
    now,
    unique,
    call: (route, user, params) => callAsUser(route, params, { app, user, services }),
  })
  return { ...pair, route: action.route, answer: await callAsUser(action.route, sent, { ...calling, user: pair.source }) }
}

/** Throws `invalid-request` for what the action has no place for. */
function assertFits({ type, action, cast, text }: Wanted) {
  if (text !== undefined && action.textAs === undefined) throw wrongParameter('text', text, `events of the type ${type} have no text`)
  if (cast.other && !action.isToAnother)
    throw wrongParameter('to', cast.other.person.username, `nobody else takes part in a ${type} event: name its user with user or from`)
}

/**
 * Performs the action that an event of a type follows from, by calling the endpoint that clients call. Who was not named is somebody who may.
 * Throws the refusal of the action.
 */
export async function performAction(wanted: Wanted, services: PerformServices): Promise<Performed> {
  assertFits(wanted)
  const pairs = (await pairsOf(wanted, services)).slice(0, MOST_TRIED)
  let refusal: Problem | undefined
  for (const pair of pairs) {
    try {
      return await performWith(wanted, pair, services)
    } catch (error) {
      if (pairs.length === 1 || !(error instanceof Problem) || !REFUSED.has(error.status)) throw error
      refusal ??= error
    }
  }
  throw refusal ?? nobody(wanted.type)
}
