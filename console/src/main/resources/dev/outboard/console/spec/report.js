'use strict';
// Shows the rows whose state is chosen and that hold all words of the search; an address with an ID always shows its row.
const rows = [...document.querySelectorAll('.row')];
const buttons = [...document.querySelectorAll('.tools button')];
const search = document.querySelector('#search');

function show() {
    const states = buttons.filter(button => button.ariaPressed === 'true').map(button => button.dataset.state);
    const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
    const target = decodeURIComponent(location.hash.slice(1));
    let shown = 0;
    for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const fits = (!states.length || states.includes(row.dataset.state)) && words.every(word => text.includes(word));
        row.hidden = !fits && row.id !== target;
        shown += row.hidden ? 0 : 1;
    }
    for (const section of document.querySelectorAll('main section')) {
        section.hidden = !section.querySelector('.row:not([hidden])');
    }
    document.querySelector('#shown').textContent = `${shown} of ${rows.length}`;
}

for (const button of buttons) {
    button.addEventListener('click', () => {
        button.ariaPressed = button.ariaPressed === 'true' ? 'false' : 'true';
        show();
    });
}
search.addEventListener('input', show);
addEventListener('hashchange', () => {
    show();
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
});
show();
