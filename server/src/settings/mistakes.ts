/** Something wrong with one setting: a sentence that says what to do. */
export interface Mistake {
  /** The variable of the setting. */
  variable: string
  text: string
}

/** The settings cannot be used; `mistakes` names each with what to do. */
export class SettingsError extends Error {
  readonly mistakes: string[]
  constructor(mistakes: string[]) {
    super(`Postern cannot start:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

/** What is wrong with the entries of a list: an Error that holds one for each. */
const several = (errors: Error[]) => new AggregateError(errors, errors.map(({ message }) => message).join('; '))

/** The messages of an error that a reader of a setting has thrown. */
export const messagesOf = (error: unknown): string[] =>
  error instanceof AggregateError ? error.errors.flatMap(messagesOf) : [(error as Error).message]

/** Reads each entry of a list. Throws an Error that names every bad entry. */
export function readEach<Entry>(entries: readonly string[], read: (entry: string, place: number) => Entry): Entry[] {
  const errors: Error[] = []
  const values = entries.flatMap((entry, place) => {
    try {
      return [read(entry, place)]
    } catch (error) {
      errors.push(error as Error)
      return []
    }
  })
  if (errors.length > 0) throw several(errors)
  return values
}
