// Copying: commands as they are, findings as Markdown.

async function copy(text, what) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = make('textarea', { class: 'hidden' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  $('said').textContent = '';
  setTimeout(() => { $('said').textContent = `${what} copied.`; });
}

function copier(button, what, text) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await copy(text(), what);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}

// Markdown of a finding: ids as code, everything else without markup and mentions.
function issue(section) {
  const lines = [];
  const walk = (element) => {
    for (const child of element.children) {
      if (child.matches('.heading')) lines.push(`### ${inline(child.firstElementChild)}`);
      else if (child.matches('p:not(.rest),figcaption')) lines.push(inline(child));
      else if (child.matches('ul')) lines.push([...child.children].map((item) => `- ${inline(item)}`).join('\n'));
      else if (child.matches('dl')) lines.push(all('div', child).map((row) => `- ${inline(row.children[0])}: ${inline(row.children[1])}`).join('\n'));
      else if (child.matches('pre')) lines.push(fenced(child.textContent));
      else if (child.matches('table')) lines.push(tabled(child));
      else if (child.matches('div,section,figure,details') && !child.matches('.chart,.numbers')) walk(child);
    }
  };
  walk(section);
  return `${lines.filter(Boolean).join('\n\n')}\n`;
}

function inline(element) {
  return [...element.childNodes].map((node) => {
    if (node.nodeName === 'CODE') return code(node.textContent);
    if (node.nodeType === 1) return node.matches('.hidden,button::after') ? '' : inline(node);
    return node.textContent.replace(/[\\`*_<>\[\]#|~@&]/g, (c) => (c === '@' ? '&#64;' : c === '&' ? '&amp;' : `\\${c}`));
  }).join('').replace(/\s+/g, ' ').trim();
}

function code(text) {
  const fence = '`'.repeat(1 + Math.max(0, ...(text.match(/`+/g) || []).map((run) => run.length)));
  const space = fence.length > 1 || !text.trim() ? ' ' : '';
  return `${fence}${space}${text.replaceAll('|', '\\|')}${space}${fence}`;
}

function fenced(text) {
  const fence = '`'.repeat(Math.max(3, 1 + Math.max(0, ...(text.match(/`+/g) || []).map((run) => run.length))));
  return `${fence}\n${text}\n${fence}`;
}

function tabled(table) {
  const heads = all('th', table);
  const rows = all('tbody tr', table).slice(0, 10).map((row) => `| ${[...row.cells].map(inline).join(' | ')} |`);
  const marks = heads.map((head) => (head.classList.contains('is-number') ? '--:' : '---'));
  return [`| ${heads.map(inline).join(' | ')} |`, `|${marks.join('|')}|`, ...rows].join('\n');
}
