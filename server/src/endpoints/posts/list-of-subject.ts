import type { DataObject } from '../../api/objects/data-object.ts'
import type { PartialError } from '../../api/objects/object-answer.ts'
import type { Content } from '../../storage/content.ts'
import type { AskedAny } from '../objects/load-answer.ts'
import { hiddenObject } from '../objects/partial-errors.ts'
import { User } from '../objects/user.ts'
import { storedPost } from './stored-post.ts'
import { whyHidden } from './visible-post.ts'

/** The post or user that has a list, and who reads the list. */
interface Subject {
  object: DataObject
  id: string
  viewerId: string | undefined
}

/**
 * Why a viewer may not read the lists of a post or a user. Who may not read a user's posts may not read who follows, is followed, or what the
 * user liked either.
 */
export async function hiddenSubject(content: Content, { object, id, viewerId }: Subject): Promise<PartialError[]> {
  const subject = object === User ? { authorId: id } : await storedPost(content, id)
  const hidden = subject ? await whyHidden(content, viewerId, subject) : 'resource-not-found'
  return hidden ? [hiddenObject(hidden, { object, value: id, parameter: 'id', section: 'data' })] : []
}

/** A list that belongs to a post or a user; if that is not shown, its problem instead of a list (§2.9). */
export async function listOfSubject(content: Content, subject: Subject, list: AskedAny | Promise<AskedAny>): Promise<AskedAny> {
  const [errors, asked] = await Promise.all([hiddenSubject(content, subject), list])
  return errors.length > 0 ? { values: [], isList: true, errors, meta: () => ({ result_count: 0 }) } : asked
}
