/**
 * The product's logo: its name above a small drawing of a link's lifetime. It uses no state and no
 * style attribute, because pages rendered at build time use it too.
 */
export function Mark() {
  return (
    <span className="mark">
      Mayfly
      <svg width="100%" height="3" aria-hidden="true">
        <rect width="26%" height="3" rx="1.5" fill="var(--edge)" opacity="0.55" />
        <rect x="30%" width="34%" height="3" rx="1.5" fill="var(--accent)" />
        <rect x="68%" y="0.5" width="31%" height="2" rx="1" fill="none" stroke="var(--edge)" />
      </svg>
    </span>
  )
}
