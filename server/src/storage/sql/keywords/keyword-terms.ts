import { entitiesOf } from '../../../lib/post-text/entities.ts'
import { countryTerm, isKeywordTerm } from '../../../lib/post-text/query/keyword.ts'
import { termHash } from '../../../lib/post-text/term-hash.ts'
import { termsOf } from '../../../lib/post-text/terms.ts'

/** The terms of a post by which keywords find it, as hashes, each once: words, hashtags, cashtags, mentions, and its country. */
export function keywordTermsOf(text: string, country: string | null): bigint[] {
  const terms = termsOf({ text, entities: entitiesOf(text) }).filter(isKeywordTerm)
  if (country) terms.push(countryTerm(country))
  return [...new Set(terms.map(termHash))]
}
