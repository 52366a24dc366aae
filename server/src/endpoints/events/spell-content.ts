import type { Dialect, Translate } from '../../api/declare/dialect.ts'
import type { EventContent } from '../../delivery/envelope.ts'
import { contentSchema, isEventTypeName } from './event-content.ts'

/**
 * Returns a function that spells the content of an event of a type as a dialect does: every name, declared or not, and the values that are
 * names (`reposted`).
 */
export function contentSpeller(dialect: Dialect): (eventType: string, content: EventContent) => EventContent {
  if (dialect.name === 'spec') return (_, content) => content
  const translators = new Map<string, Translate>()
  const translatorOf = (eventType: string): Translate => {
    if (!isEventTypeName(eventType)) return undefined
    if (!translators.has(eventType)) translators.set(eventType, dialect.answerTranslator(contentSchema(eventType)))
    return translators.get(eventType)
  }
  return (eventType, content) => {
    const translate = translatorOf(eventType)
    return dialect.anything(translate ? translate(content) : content) as EventContent
  }
}
