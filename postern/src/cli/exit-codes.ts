/** How a command ends. Scripts rely on these. */
export const EXIT = { done: 0, refused: 1, wrongUsage: 2, noServer: 3 } as const

export const EXIT_CODES: Readonly<Record<number, string>> = {
  [EXIT.done]: 'Done.',
  [EXIT.refused]: 'Refused or failed: the message says what to do next.',
  [EXIT.wrongUsage]: 'Wrong usage: nothing was done.',
  [EXIT.noServer]: 'No Postern answers there.',
}
