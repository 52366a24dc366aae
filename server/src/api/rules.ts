/** A rule between parameters. It checks, and it prints itself into the endpoint's description. */
export interface Rule {
  /** The rule as a sentence, naming the parameters as they are declared. */
  says: string
  /** The parameters that it is about; the first is the one that a mistake is reported on. */
  parameters: readonly string[]
  holds(params: Record<string, unknown>): boolean
}

const given = (value: unknown) => value !== undefined && value !== null

const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** `one` is allowed only together with `other`. */
export const requires = (one: string, other: string): Rule => ({
  says: `\`${other}\` is required when \`${one}\` is set`,
  parameters: [other, one],
  holds: (params) => !given(params[one]) || given(params[other]),
})

/** At least one of these. */
export const oneOrOther = (...names: string[]): Rule => ({
  says: `at least one of ${named(names)} is required`,
  parameters: names,
  holds: (params) => names.some((name) => given(params[name])),
})

/** One of these, and not two. */
export const exactlyOne = (...names: string[]): Rule => ({
  says: `exactly one of ${named(names)} is required`,
  parameters: names,
  holds: (params) => names.filter((name) => given(params[name])).length === 1,
})

/** At most one of these. */
export const notTogether = (...names: string[]): Rule => ({
  says: `at most one of ${named(names)} may be set`,
  parameters: names,
  holds: (params) => names.filter((name) => given(params[name])).length < 2,
})
