import { termHash } from '../../src/lib/post-text/terms.ts'
import type { TermPair } from '../../src/storage/content.ts'

/** Terms of posts, collected to be written in the order of the index. */
export class TermIndex {
  /** Numbers of terms. */
  #numbers = new Map<string, number>()
  #postIds: bigint[] = []
  /** Of each pair the number of the term, and the place of the post. */
  #terms = new Uint32Array(1 << 20)
  #places = new Uint32Array(1 << 20)
  #size = 0

  get posts(): number {
    return this.#postIds.length
  }

  /** Posts are added in the order of their ids. */
  add(postId: string, terms: readonly string[]) {
    const place = this.#postIds.push(BigInt(postId)) - 1
    if (this.#size + terms.length > this.#terms.length) this.#grow()
    for (const term of terms) {
      const number = this.#numbers.get(term) ?? this.#numbers.size
      if (number === this.#numbers.size) this.#numbers.set(term, number)
      this.#terms[this.#size] = number
      this.#places[this.#size] = place
      this.#size += 1
    }
  }

  #grow() {
    const grown = (former: Uint32Array<ArrayBuffer>) => {
      const array = new Uint32Array(former.length * 2)
      array.set(former)
      return array
    }
    this.#terms = grown(this.#terms)
    this.#places = grown(this.#places)
  }

  clear() {
    this.#numbers = new Map()
    this.#postIds = []
    this.#size = 0
  }

  /** The pairs in the order of the hashes and then of the posts, in slices of at most so many. */
  *slices(most: number): Generator<TermPair[]> {
    const hashes = [...this.#numbers.keys()].map(termHash)
    const order = hashes.map((_, number) => number).sort((one, other) => (hashes[one]! < hashes[other]! ? -1 : 1))
    const starts = this.#startsOf(order)
    const sorted = new Uint32Array(this.#size)
    for (let pair = 0; pair < this.#size; pair += 1) {
      const number = this.#terms[pair]!
      sorted[starts[number]!] = pair
      starts[number]! += 1
    }
    for (let from = 0; from < this.#size; from += most)
      yield Array.from(
        sorted.subarray(from, from + most),
        (pair): TermPair => [hashes[this.#terms[pair]!]!, this.#postIds[this.#places[pair]!]!],
      )
  }

  /** Where the pairs of each term begin, by its number. */
  #startsOf(order: readonly number[]): Uint32Array {
    const counts = new Uint32Array(order.length)
    for (let pair = 0; pair < this.#size; pair += 1) counts[this.#terms[pair]!]! += 1
    const starts = new Uint32Array(order.length)
    let at = 0
    for (const number of order) {
      starts[number] = at
      at += counts[number]!
    }
    return starts
  }
}
