/** Which states may follow each state of a state machine. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>

/**
 * Checks the transitions of a state machine: returns the next state if it may follow the current one.
 * @throws if it may not, which is a bug.
 */
export const checkedTransitions =
  <State extends string>(machine: string, transitions: Transitions<State>) =>
  (from: State, to: State): State => {
    if (!transitions[from].includes(to)) throw new Error(`${machine} cannot go from ${from} to ${to}`)
    return to
  }
