import type { ReactNode } from 'react'
import { values } from '../values.tsx'

const hatchingFill = 'url(#hatching)'

/** Explains a file's life from upload to deletion with an annotated bar. */
export function LifeOfAFile() {
  return (
    <section className="band" aria-labelledby="life">
      <h2 id="life">The life of a file</h2>
      <p className="muted">
        Every file and every download page shows this bar. It is {values.maxLifetime} long, as long
        as a file can exist.
      </p>
      <Bar />
      <ol className="three">
        <Phase
          title="The link works"
          bar={<rect width="28" height="8" rx="4" fill="var(--accent)" />}
        >
          For {values.premiumDays}, as you choose. With Free, for {values.freeDays}; then the file
          is deleted.
        </Phase>
        <Phase title="The file can be renewed" bar={<HatchedBar width={28} />}>
          With Premium, the expired file is private until you renew it. Then it gets a new link.
        </Phase>
        <Phase
          title={`Day ${values.maxLifetimeDays}: the file is deleted`}
          bar={
            <>
              <HatchedBar width={22} />
              <rect x="25" width="3" height="8" rx="1" fill="var(--ink)" />
            </>
          }
        >
          Even if it was renewed. A receipt shows when the deletion was due and when it was done.
        </Phase>
      </ol>
    </section>
  )
}

function Phase(props: { title: string; bar: ReactNode; children: ReactNode }) {
  return (
    <li>
      <h3>
        <svg width="28" height="8" aria-hidden="true">
          {props.bar}
        </svg>
        {props.title}
      </h3>
      <p className="muted">{props.children}</p>
    </li>
  )
}

function HatchedBar({ width }: { width: number }) {
  return (
    <rect
      x="0.5"
      y="0.5"
      width={width - 1}
      height="7"
      rx="3.5"
      fill={hatchingFill}
      stroke="var(--line)"
    />
  )
}

/** The bar, with marks at the longest link duration that each plan allows. */
function Bar() {
  const freeEndPercent = `${values.freeEnd}%`
  const premiumEndPercent = `${values.premiumEnd}%`
  // A stroke in the page's background color separates this part of the bar from its neighbors.
  const validBarProps = {
    height: 15,
    rx: 7,
    fill: 'var(--accent)',
    stroke: 'var(--paper)',
    strokeWidth: 3,
  }
  return (
    <svg className="bar" width="100%" height="40" aria-hidden="true">
      <pattern
        id="hatching"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="3" height="6" fill="var(--line)" />
      </pattern>
      <rect y="1" width="100%" height="12" rx="6" fill={hatchingFill} stroke="var(--line)" />
      <rect x={freeEndPercent} width={`${values.premiumSpan}%`} y="-0.5" {...validBarProps} />
      <rect width={freeEndPercent} y="-0.5" {...validBarProps} />
      <text className="not-narrow" x="0" y="32">
        upload
      </text>
      <text x={freeEndPercent} y="32" textAnchor="middle">
        {values.freeMark}
      </text>
      <text x={premiumEndPercent} y="32">
        {values.premiumMark}
      </text>
      <text x="100%" y="32" textAnchor="end">
        {values.maxLifetime}
      </text>
    </svg>
  )
}
