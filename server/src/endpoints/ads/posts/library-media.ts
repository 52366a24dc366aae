/** Which of these media are in the media library of an account. */
export async function libraryKeysAmong(): Promise<string[]> {
  return []
}
