import { anyUser } from '../../access/any-user.ts'
import type { AppCaller } from '../../access/app-bearer.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { objectId, type Params } from '../../api/declare/words.ts'
import type { DataObject } from '../../api/objects/data-object.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Kinds } from '../../api/objects/selection.ts'
import type { Content } from '../../storage/content.ts'
import { assertSelf } from '../objects/assert-self.ts'
import type { AskedAny } from '../objects/load-answer.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import type { PageParams } from '../objects/pages.ts'
import { User } from '../objects/user.ts'
import { listOfSubject } from '../posts/list-of-subject.ts'

export interface SubjectList {
  name: string
  /** With `:id`, whose list it is. */
  route: `GET /${string}`
  summary: string
  description?: string
  /** The kind of object that has the list. */
  subject: DataObject
  /** Only the user whose list it is may read it. */
  isPrivate?: true
  scopes: readonly string[]
  rateLimit: number
  page: { min?: number; max: number; usual?: number }
  /** Parameters besides those of the page. */
  params?: Params
  read(content: Content, id: string, params: PageParams & Record<string, unknown>): AskedAny | Promise<AskedAny>
}

/** A paged list that belongs to a post or a user. If that is not shown, the answer has its problem instead of a list (§2.9). */
export function subjectList(kinds: Kinds, { subject, isPrivate, page, params = {}, read, ...declared }: SubjectList) {
  const example = subject === User ? '101' : undefined
  return objectEndpoint<Params, AppCaller, Parameters<typeof appOrUser.authenticate>[1], { content: Content }>(kinds, {
    ...declared,
    section: '§2.9',
    auth: isPrivate ? anyUser : appOrUser,
    params: {
      id: objectId({ ...(example && { example }), description: `The id of the ${subject.title}.` }),
      ...pageParams(page),
      ...params,
    },
    isList: true,
    isPaged: true,
    async asked(call, { content }) {
      const viewerId = viewerOf(call.caller)
      const sent = call.params as unknown as PageParams & { id: string }
      if (!isPrivate) {
        const list = read(content, sent.id, { ...sent, seenBy: { viewerId } })
        return listOfSubject(content, { object: subject, id: sent.id, viewerId }, list)
      }
      assertSelf(viewerId!, sent.id)
      return read(content, sent.id, { ...sent })
    },
  })
}
