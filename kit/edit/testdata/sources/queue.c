/* A queue of fixed size; the oldest item is dropped when it is full. */
#include <stdlib.h>
#include <string.h>

#define QUEUE_SIZE  64
#define QUEUE_EMPTY (-1)

struct queue {
	int    items[QUEUE_SIZE];
	size_t head;
	size_t count;
};

struct queue *queue_new(void)
{
	struct queue *q = malloc(sizeof(*q));

	if (q == NULL)
		return NULL;
	memset(q, 0, sizeof(*q));
	return q;
}

void queue_push(struct queue *q, int item)
{
	size_t at = (q->head + q->count) % QUEUE_SIZE;

	q->items[at] = item;
	if (q->count < QUEUE_SIZE) {
		q->count++;
	} else {
		q->head = (q->head + 1) % QUEUE_SIZE;
	}
}

int queue_pop(struct queue *q)
{
	int item;

	if (q->count == 0)
		return QUEUE_EMPTY;
	item = q->items[q->head];
	q->head = (q->head + 1) % QUEUE_SIZE;
	q->count--;
	return item;
}

const char *queue_name(void) { return "queue <\"fixed\"> & co"; }
