/** Runs one reading statement, outside any transaction. Its parameters are `$1`, `$2` …; each row is an array of the selected columns. */
export type ReadRows = (text: string, values: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>
