import type { DataObject } from '../../api/objects/data-object.ts'
import { DirectMessage } from './direct-message.ts'
import { List } from './list.ts'
import { Media } from './media.ts'
import { Place } from './place.ts'
import { Poll } from './poll.ts'
import { Post } from './post.ts'
import { Space } from './space.ts'
import { Topic } from './topic.ts'
import { User } from './user.ts'

/** All data objects. Those that answers include are loaded in this order: posts first, because other expansions start from them. */
export const dataObjects: readonly DataObject[] = [Post, User, Media, Poll, Place, List, Space, Topic, DirectMessage]

/** The data object of a kind. */
export const objectOfKind = (kind: string): DataObject => dataObjects.find((object) => object.kind === kind)!
