/*
 * Explanations of the words that metamf/webapp/glossary.py and the player mark: on hover, on focus and on touch; Escape
 * closes. What goes on inside the player's shadow root it tells by an event (player/js/terms.js).
 */

const GAP = 6 // pixels between word and box
const GRACE = 250 // milliseconds in which the pointer gets from the word into the box

/** @param {{data: Record<string, string>}} mounted the meaning of each term by its key */
export default function ({ data }) {
  document.querySelector(".mf-meanings")?.remove()
  document.querySelector(".mf-meaning")?.remove()
  const page = document.querySelector(".stApp") ?? document.body
  const meanings = page.appendChild(document.createElement("div")) // what the buttons are described by
  meanings.className = "mf-meanings"
  meanings.hidden = true
  for (const [key, meaning] of Object.entries(data)) {
    const line = meanings.appendChild(document.createElement("p"))
    line.id = `mf-meaning-${key}`
    line.textContent = meaning
  }
  const box = page.appendChild(document.createElement("div"))
  box.className = "mf-meaning"
  box.setAttribute("role", "tooltip")
  box.setAttribute("aria-hidden", "true") // the word is described by the hidden text already
  box.hidden = true

  /** @type {HTMLElement | null} */
  let word = null
  let timer = 0

  const close = () => {
    clearTimeout(timer)
    word?.removeAttribute("data-open")
    word = null
    box.hidden = true
  }

  /** @param {HTMLElement} next */
  const open = next => {
    clearTimeout(timer)
    if (next === word) return
    close()
    word = next
    word.setAttribute("data-open", "")
    const name = document.createElement("b")
    name.textContent = word.textContent
    box.replaceChildren(name, data[word.dataset.term ?? ""] ?? "")
    box.hidden = false
    place(word)
  }

  /** @param {HTMLElement} beside */
  const place = beside => {
    const at = beside.getBoundingClientRect()
    const { width, height } = box.getBoundingClientRect()
    const below = at.bottom + GAP + height <= innerHeight || at.top < height + GAP
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`
    box.style.top = `${below ? at.bottom + GAP : at.top - GAP - height}px`
  }

  /** @param {Event} event */
  const term = event => /** @type {HTMLElement|undefined} */ (
    event.composedPath().find(part => part instanceof HTMLElement && part.matches(".mf-term"))
  )
  /** @param {Event} event */
  const inside = event => event.target instanceof Node && box.contains(event.target)

  const listening = new AbortController()
  /** @type {(name: string, act: (event: any) => void) => void} */
  const on = (name, act) => document.addEventListener(name, act, { signal: listening.signal, capture: true })
  /** @param {HTMLElement|null|undefined} next the word under the pointer @param {boolean} within the box */
  const pointed = (next, within) => {
    if (next) open(next)
    else if (within) clearTimeout(timer)
    else if (word && !word.matches(":focus")) {
      clearTimeout(timer)
      timer = window.setTimeout(close, GRACE)
    }
  }
  /** @param {HTMLElement|null|undefined} next the word with the focus */
  const focused = next => next ? open(next) : close()
  on("pointerover", event => event.pointerType !== "touch" && pointed(term(event), inside(event)))
  on("focusin", event => focused(term(event)))
  on("focusout", event => term(event) && !inside(event) && close())
  on("metamf-word", ({ detail: { type, word: next } }) => {
    if (type === "pointerover") pointed(next, false)
    else if (type === "focusin") focused(next)
    else if (next) close()
  })
  on("click", event => {
    const next = term(event)
    if (next) open(next)
    else if (!inside(event)) close()
  })
  on("keydown", event => {
    if (event.key !== "Escape" || !word) return
    event.stopPropagation() // it closes this box and nothing else
    close()
  })
  on("scroll", () => { // the focus scrolls, too: to a word that it brings into sight
    const at = word?.matches(":focus") ? word.getBoundingClientRect() : null
    if (word && at && at.bottom > 0 && at.top < innerHeight) place(word)
    else close()
  })
  return () => {
    listening.abort()
    meanings.remove()
    box.remove()
  }
}
