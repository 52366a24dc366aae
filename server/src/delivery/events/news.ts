import { eventFamily, pascalCase } from './event-type.ts'

/** News stories. */
export const newsEvents = eventFamily({
  'news.new': { summary: 'A news story was published.', filter: ['keyword'], consent: null, aliases: pascalCase('NewsNew') },
})
