/** Which of the fields that a seed names differ from what stands. One that is undefined is not named. */
export const differences = (wanted: object, standing: object): string[] =>
  Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify((standing as Record<string, unknown>)[name]))
    .map(([name]) => name)
