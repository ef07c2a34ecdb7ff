import { useId } from 'react'
import type { Lifeline as Life } from '../../shared/rules/links/lifeline.ts'
import { lifelineBar } from '../../shared/rules/links/lifeline.ts'

const barHeights = { small: 4, wide: 8 }

const barColors: Record<Life['tone'], string> = {
  calm: 'var(--accent)',
  amber: 'var(--amber)',
  red: 'var(--red)',
  over: 'none',
}

/** The text color class for each tone of the bar. */
export const textColors: Record<Life['tone'], string> = {
  calm: '',
  amber: 'text-amber',
  red: 'text-red',
  over: 'text-muted',
}

interface Span {
  x: number | string
  width: number | string
}

/** Renders the bar in `Lifeline`. Positions and widths are percentages. */
export function LifelineShape(props: {
  bar: { lived: Span; valid: Span; renewable: Span }
  color: string
  size: keyof typeof barHeights
}) {
  const hatchingId = useId()
  const height = barHeights[props.size]
  const { lived, valid, renewable } = props.bar
  const toPercentProps = (span: Span) => ({ x: `${span.x}%`, width: `${span.width}%` })
  return (
    <svg width="100%" height={height} display="block" aria-hidden="true">
      <pattern
        id={hatchingId}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="3" height="6" fill="var(--line)" />
      </pattern>
      <rect
        {...toPercentProps(lived)}
        height={height}
        rx={height / 2}
        fill="var(--edge)"
        opacity="0.5"
      />
      <rect {...toPercentProps(valid)} height={height} rx={height / 2} fill={props.color} />
      <rect
        {...toPercentProps(renewable)}
        height={height}
        rx={height / 2}
        fill={`url(#${hatchingId})`}
        stroke="var(--line)"
      />
    </svg>
  )
}

/**
 * Shows a file's maximum lifetime as a bar with three parts: the time passed, the time left until
 * the link expires, and the time that a renewal could add. Screen readers skip the bar, so place
 * it next to the text that says when the link expires.
 */
export function Lifeline(props: { state: Life; size: keyof typeof barHeights }) {
  return (
    <LifelineShape
      bar={lifelineBar(props.state)}
      color={barColors[props.state.tone]}
      size={props.size}
    />
  )
}
