import { dialects } from '../src/api/declare/dialect.ts'
import { eventTypeNames, eventTypes } from '../src/delivery/events/event-types.ts'
import { filterNames, sayConsent } from '../src/endpoints/events/described-events.ts'
import { printedExample } from '../src/endpoints/events/event-content.ts'

const code = (text: string) => `\`${text}\``

const row = (name: (typeof eventTypeNames)[number]) => {
  const { summary, subject = '–', consent, unfiltered, aliases = [], madeBy = [], ...type } = eventTypes[name]!
  const filters = [...filterNames(type).map(code), ...(unfiltered ? ['none'] : [])].join(', ')
  const names = aliases.map((alias) => `${code(alias.name)}${alias.deprecatedSince ? ' (deprecated)' : ''}`).join(', ') || '–'
  return `| [${code(name)}](#${name.replaceAll('.', '')}) | ${summary} | ${subject} | ${filters} | ${sayConsent(consent, dialects.spec)} | ${madeBy.map(code).join(', ') || 'producers alone'} | ${names} |`
}

const example = (name: (typeof eventTypeNames)[number]) => {
  const { text, ...event } = printedExample(name)
  return `### ${name}\n\n\`\`\`json\n${JSON.stringify({ ...event, ...(text !== undefined && { text }) }, null, 2)}\n\`\`\`\n`
}

/** `docs/events.md`: every event type, and an event of each as a producer publishes it. */
export const eventPage = () => `# Events

Generated from \`server/src/delivery/events\` and \`server/src/endpoints/events\`. Schemas of the payloads are at \`/docs\` of a running server, and under \`webhooks\` in its OpenAPI description, \`/openapi.json\`. \`postern trigger\` causes any of these events on a development server: it makes the call, by the user who is named; what no call makes it publishes as an example.

| event type | what happened | whose event it is (\`user_id\`) | filters | consent | made by | other names |
|---|---|---|---|---|---|---|
${eventTypeNames.map(row).join('\n')}

A call that "made by" names makes the event once it has changed something; a scheduled post makes its events at its time. Any event can be published with \`POST /operator/events\`. [Decision 021](decisions/021-outbox.md) says when a call makes none, for example of what a protected user does.

## Examples

Each as a producer publishes it with \`POST /operator/events\`. \`text\` is what keyword filters match, and is not delivered.

${eventTypeNames.map(example).join('\n')}`
