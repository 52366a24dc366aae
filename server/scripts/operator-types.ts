// Prints console/src/declared.ts: the types of what the operator API answers, from the declarations.
import type { TSchema } from '../src/api/declare/words.ts'
import { namedIn } from '../src/api/describe/describe-word.ts'
import { allEndpoints } from './all-endpoints.ts'
import { interfaceOf, listType, membersOf, typeOfWord } from './type-of-schema.ts'

/** The text before it is formatted. */
export function operatorTypes(): string {
  const operated = allEndpoints.filter(({ path }) => path.startsWith('/operator'))
  const named = new Map<string, TSchema>()
  for (const { answer } of operated) namedIn(answer, named)
  const answers = membersOf(
    'OperatorAnswers',
    operated.map(({ method, path, answer }) => [`${method} ${path}`, typeOfWord(answer)]),
  )
  return `// Printed by \`npm run docs\` from the declarations of endpoints.
// biome-ignore-all lint/suspicious/noExplicitAny: members that are not declared further
import type { EventTypeName } from '../../postern/src/kit/declared.ts'

/** What a seed creates. */
${listType('SeededKind')}

${[...named].map(interfaceOf).join('\n\n')}

/** What the operator API answers, by the call. Of an answer without an end, what one of its lines is. */
export interface OperatorAnswers {
${answers.join('\n')}
}
`
}
