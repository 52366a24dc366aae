/** Hours since 1970; `to` is exclusive. */
export interface Hours {
  from: number
  to: number
}

/** A post that was created or changed since its hour was last packed: the tables of posts say what it is. */
export interface UnpackedPost {
  hour: number
  postId: string
}

/** The posts of an hour that have a term. Posts of an hour are numbered from 0. */
export interface PackedTerm {
  hour: number
  /** How many numbers the hour has given to posts. */
  size: number
  /** Numbers of posts that are gone, or that not everybody may see, packed (`lib/ordinals.ts`); null for none. */
  dead: Uint8Array | null
  /** The place of the term among those that were asked for. */
  place: number
  /** Numbers of the posts, packed. */
  posts: Uint8Array
}

/**
 * Which posts have which words, hour by hour of their creation, in lists that are cheap to read: what thousands of posts say is read with a few
 * rows. A post first stands among the unpacked ones, and moves to the packed ones in one transaction. So whoever reads the unpacked posts before
 * the packed ones, and passes over packed ones that were among the unpacked ones, sees each post once.
 *
 * It holds the posts that everybody may see: none with `nullcast`, none that is restricted, none of protected or suspended authors.
 */
export interface KeywordIndex {
  /** The unpacked posts of some hours, from after one, in the order of hours and ids. */
  unpacked(hours: Hours, after: UnpackedPost | undefined, limit: number): Promise<UnpackedPost[]>
  /** Which of these posts have one of the terms (hashes). */
  withTerms(postIds: readonly string[], terms: readonly string[]): Promise<string[]>
  /** The packed posts of some hours that have the terms, as of one moment. */
  packed(hours: Hours, terms: readonly string[]): Promise<PackedTerm[]>
  /** The ids of the posts of these hours by their numbers; zero for a post that is gone. */
  postIds(hours: readonly number[]): Promise<Map<number, BigInt64Array>>
  /** How many of the newest posts have each term, and how many those are, at most `among`. */
  frequencies(terms: readonly string[], among: number): Promise<{ counts: number[]; among: number }>
  /** Whether there are at least so many unpacked posts. */
  hasUnpacked(atLeast: number): Promise<boolean>
  /** Packs at most so many posts in one transaction; answers how many. */
  pack(atMost: number): Promise<number>
  /** Calls `listener` after this process has committed posts that are to be packed. */
  onUnpacked(listener: () => void): void
}
