import type { Dialect } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { parameterNames } from './check-parameters.ts'
import type { DeclaredParameters, SentParameters } from './declared-parameters.ts'
import { echoText } from './decode-text.ts'

type Echo = Record<string, unknown>

/** What comes more than once under one name is a list: items of a list in both of its spellings, values of an undeclared parameter. */
function add(echo: Echo, name: string, value: unknown) {
  echo[name] = Object.hasOwn(echo, name) ? [echo[name], value].flat() : value
}

/**
 * Compiles how an answer repeats the parameters of a request (§2.4): those of the path by their placeholders, then those that were sent, as
 * they were sent, undeclared ones too; nothing that was not sent, none with an error. A JSON body is not repeated.
 */
export function compileEcho({ params, pathNames }: Endpoint, declared: DeclaredParameters, dialect: Dialect) {
  const inPath = new Set(pathNames.flatMap((name) => [name, dialect.out(name)]))
  return ({ pathParams }: Pick<RawRequest, 'pathParams'>, { texts }: SentParameters, errors: readonly ErrorDetail[]): Echo => {
    const wrong = parameterNames(errors)
    const echo: Echo = {}
    for (const name of pathNames) echo[dialect.out(name)] = echoText(params[name]!, pathParams[name] ?? '')
    for (const { name: spelling, value } of texts) {
      const parameter = declared.get(spelling)
      if (wrong.has(spelling) || inPath.has(spelling)) continue
      if (!parameter) add(echo, spelling, value)
      else add(echo, dialect.out(parameter.name), value === '' && parameter.isUnsettable ? null : echoText(parameter.word, value))
    }
    return echo
  }
}
