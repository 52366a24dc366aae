import { CopyText } from './copy-text.tsx'
import { Dialog } from './dialog.tsx'

export type Secrets = readonly (readonly [name: string, value: string])[]

/** Shows secrets this once: they are nowhere else in the console, and gone when it is closed. */
export function SecretsDialog({ secrets, closed }: { secrets: Secrets; closed: () => void }) {
  return (
    <Dialog title="Shown only now" closed={closed}>
      {(close) => (
        <>
          <p>Copy what you need: the server does not tell it again.</p>
          {secrets.map(([name, value]) => (
            <div key={name}>
              <p class="part">{name}</p>
              <CopyText text={value} label={name} />
            </div>
          ))}
          <button type="button" onClick={close}>
            Close
          </button>
        </>
      )}
    </Dialog>
  )
}
