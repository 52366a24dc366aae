export default async function tearDown() {
  await globalThis.postern.stop()
}
