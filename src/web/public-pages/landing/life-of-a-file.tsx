import { publicPlaceholder } from '../../../shared/public-placeholders.ts'

const hatching = 'hatching'

/** A short piece of the bar. It stands in the legend, before the text that explains it. */
function LegendBar({ x = 0, width, filled }: { x?: number; width: number; filled: boolean }) {
  return filled ? (
    <rect x={x} width={width} height="8" rx="4" fill="var(--accent)" />
  ) : (
    <rect
      x={x + 0.5}
      y="0.5"
      width={width - 1}
      height="7"
      rx="3.5"
      fill={`url(#${hatching})`}
      stroke="var(--line)"
    />
  )
}

/**
 * A bar that shows the longest life of a file, and where the longest links of both plans end. The
 * server fills in these ends from the current limits.
 */
function Bar() {
  const end = {
    free: `${publicPlaceholder('freeEnd')}%`,
    premium: `${publicPlaceholder('premiumEnd')}%`,
  }
  // These strokes have the colour of the page, so they look like gaps between the parts of the bar.
  const valid = { height: 15, rx: 7, fill: 'var(--accent)', stroke: 'var(--paper)', strokeWidth: 3 }
  return (
    <svg className="bar" width="100%" height="40" aria-hidden="true">
      <pattern
        id={hatching}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="3" height="6" fill="var(--line)" />
      </pattern>
      <rect y="1" width="100%" height="12" rx="6" fill={`url(#${hatching})`} stroke="var(--line)" />
      <rect x={end.free} width={`${publicPlaceholder('premiumSpan')}%`} y="-0.5" {...valid} />
      <rect width={end.free} y="-0.5" {...valid} />
      <text className="not-narrow" x="0" y="32">
        upload
      </text>
      <text x={end.free} y="32" textAnchor="middle">
        {publicPlaceholder('freeMark')}
      </text>
      <text x={end.premium} y="32">
        {publicPlaceholder('premiumMark')}
      </text>
      <text x="100%" y="32" textAnchor="end">
        {publicPlaceholder('maxLifetime')}
      </text>
    </svg>
  )
}

/** Explains along a bar what happens to a file from its upload to its end. */
export function LifeOfAFile() {
  return (
    <section className="band" aria-labelledby="life">
      <h2 id="life">The life of a file, drawn</h2>
      <p className="muted">
        This bar stands in every row and on every download page. It is{' '}
        {publicPlaceholder('maxLifetime')} long, and so is the longest life of a file here.
      </p>
      <Bar />
      <ol className="three">
        <li>
          <h3>
            <svg width="28" height="8" aria-hidden="true">
              <LegendBar width={28} filled />
            </svg>
            The link works
          </h3>
          <p className="muted">
            For {publicPlaceholder('premiumDays')}, as you chose. On Free it is{' '}
            {publicPlaceholder('freeDays')}, and the file is deleted with its link.
          </p>
        </li>
        <li>
          <h3>
            <svg width="28" height="8" aria-hidden="true">
              <LegendBar width={28} filled={false} />
            </svg>
            A renewal can still give this
          </h3>
          <p className="muted">
            On Premium the file waits here in private. Renewed, it gets a new link; the old one
            stays dead.
          </p>
        </li>
        <li>
          <h3>
            <svg width="28" height="8" aria-hidden="true">
              <LegendBar width={22} filled={false} />
              <rect x="25" width="3" height="8" rx="1" fill="var(--ink)" />
            </svg>
            Day {publicPlaceholder('maxLifetimeDays')}: gone for good
          </h3>
          <p className="muted">
            Whatever was renewed. The bytes are removed, and a receipt says when that was due and
            when it was done.
          </p>
        </li>
      </ol>
    </section>
  )
}
