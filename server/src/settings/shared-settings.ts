import { type Setting, type Settings, settingsTable } from './setting-table.ts'

const shared = Object.entries<Setting<unknown>>(settingsTable).filter(([, { shared: how }]) => how !== undefined)

/** One that is unset differs from one that is set. */
const print = (value: unknown) => JSON.stringify(value ?? null)

/** Those settings of a process that others on its database have alike, as JSON by variable. Never a secret. */
export const printShared = (settings: Settings): string =>
  JSON.stringify(Object.fromEntries(shared.map(([name, { variable }]) => [variable, print(settings[name as keyof Settings])])))

/** The variables that differ: those that must not, and the others. A variable that only one of two versions knows differs from nothing. */
export function differing(own: string, others: string): { mustNot: string[]; shouldNot: string[] } {
  const [here, there] = [own, others].map((text) => JSON.parse(text) as Record<string, string | undefined>)
  const found = shared.filter(([, { variable }]) => variable in here! && variable in there! && here![variable] !== there![variable])
  const named = (wanted: Setting<unknown>['shared']) =>
    found.filter(([, { shared: how }]) => how === wanted).map(([, { variable }]) => variable)
  return { mustNot: named('must'), shouldNot: named('should') }
}
