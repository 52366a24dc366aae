import type { Word } from '../words.ts'

/** The counts of a post that a query can compare. */
export type Count = 'likes' | 'replies' | 'reposts'

/** A condition on a post. */
export type Condition =
  /** The tokens stand in the text in this order, next to each other. */
  | { kind: 'words'; words: readonly Word[] }
  /** The post has this index term: `#cats`, `from:101`, `has:media`. */
  | { kind: 'term'; term: string }
  /** A URL is within the domain, and has the tokens next to each other: in its path if there is a domain, else anywhere. */
  | { kind: 'url'; domain?: string; words: readonly Word[] }
  | { kind: 'atLeast'; count: Count; value: number }
  /** No post fulfils it: it names a user who does not exist. */
  | { kind: 'nothing' }

/** The author (`from`) or the user who is replied to (`to`), by a username in lower case. */
export interface UserCondition {
  kind: 'user'
  role: 'from' | 'to'
  username: string
}

type Combination<Leaf> =
  | { kind: 'all'; of: readonly Tree<Leaf>[] }
  | { kind: 'any'; of: readonly Tree<Leaf>[] }
  | { kind: 'not'; of: Tree<Leaf> }

export type Tree<Leaf> = Leaf | Combination<Leaf>

/** A parsed query. It may name users by username. */
export type ParsedQuery = Tree<Condition | UserCondition>

/** A query in which users are named by id (`withUserIds`), so that it can be evaluated. */
export type Query = Tree<Condition>
