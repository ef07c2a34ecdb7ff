import { fileKind } from '../../../shared/rules/files/file-kind.ts'
import { dayInMs, hourInMs } from '../../../shared/rules/format/units.ts'
import { lifeline } from '../../../shared/rules/links/lifeline.ts'
import { openLinkLabel } from '../../../shared/rules/links/link-status.ts'
import { KindIcon } from '../../files/kind-icon.tsx'
import { Lifeline } from '../../files/lifeline.tsx'

/**
 * Makes an example file whose link lasts 3 days. The file looks as the application would show it
 * `age` milliseconds after its upload, because the same functions draw it.
 */
function example(originalName: string, mimeType: string, age: number) {
  const dates = {
    createdAt: new Date(0),
    expiresAt: new Date(3 * dayInMs),
    maxLifetimeAt: new Date(30 * dayInMs),
    purgingAt: null,
  }
  const now = new Date(age)
  return {
    originalName,
    kind: fileKind({ originalName, mimeType }),
    life: lifeline(dates, now, true),
    label: openLinkLabel(dates, now),
  }
}

const files = [
  example('rough-cut.mov', 'video/quicktime', 20 * hourInMs),
  example('press-kit.zip', 'application/zip', 3 * dayInMs - 9.5 * hourInMs),
]

/** Two example links of different ages. A bar shows the remaining time of each. */
export function Examples() {
  return (
    <ul className="examples" aria-label="Examples">
      {files.map(({ originalName, kind, life, label }) => (
        <li key={originalName}>
          <span className="kind">
            <KindIcon kind={kind} size={18} />
          </span>
          <div>
            <p>
              <b>{originalName}</b>
              <span className={`small ${life.tone}`}>{label}</span>
            </p>
            <Lifeline life={life} size="wide" />
          </div>
        </li>
      ))}
    </ul>
  )
}
